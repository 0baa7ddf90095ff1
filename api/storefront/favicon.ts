import { crc32, deflateSync } from 'node:zlib'

type Rgb = readonly [red: number, green: number, blue: number]
/** A rectangle of the drawing, in its units; later ones cover earlier ones. */
type Box = { x: number; y: number; width: number; height: number; radius: number; colour: Rgb }

/** Units of each side of the drawing, api/pages/icon.svg. */
const SIDE = 32
const BOXES: readonly Box[] = [
  { x: 0, y: 0, width: 32, height: 32, radius: 6, colour: [0x14, 0x18, 0x1f] },
  { x: 6, y: 15.25, width: 20, height: 1.5, radius: 0, colour: [0x5d, 0x67, 0x75] },
  { x: 7, y: 9, width: 9, height: 5, radius: 0, colour: [0x7d, 0xb7, 0xff] },
  { x: 16, y: 18, width: 9, height: 5, radius: 0, colour: [0xf0, 0xa3, 0x5a] },
]
const SIZES = [16, 32, 48] as const
/** Samples along each side of a pixel, so that edges are smooth. */
const SAMPLES = 4

/** The icon as an ICO file of three sizes, each a PNG. About 1 KB, made once. */
export function faviconIco(): Buffer {
  const images = SIZES.map((size) => ({ size, png: png(size, pixels(size)) }))
  const head = Buffer.alloc(6 + 16 * images.length)
  head.writeUInt16LE(1, 2) //  an icon
  head.writeUInt16LE(images.length, 4)
  let offset = head.length
  images.forEach(({ size, png }, at) => {
    const entry = 6 + 16 * at
    head[entry] = size
    head[entry + 1] = size
    head.writeUInt16LE(1, entry + 4) //   planes
    head.writeUInt16LE(32, entry + 6) //  bits a pixel
    head.writeUInt32LE(png.length, entry + 8)
    head.writeUInt32LE(offset, entry + 12)
    offset += png.length
  })
  return Buffer.concat([head, ...images.map(({ png }) => png)])
}

function contains({ x, y, width, height, radius }: Box, px: number, py: number): boolean {
  if (px < x || py < y || px >= x + width || py >= y + height) return false
  const dx = Math.max(x + radius - px, px - (x + width - radius), 0)
  const dy = Math.max(y + radius - py, py - (y + height - radius), 0)
  return dx * dx + dy * dy <= radius * radius
}

/** RGBA rows, each behind the PNG filter byte 0. */
function pixels(size: number): Buffer {
  const rows = Buffer.alloc(size * (1 + 4 * size))
  const unit = SIDE / size / SAMPLES
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) {
      const sum = [0, 0, 0]
      let covered = 0
      for (let sample = 0; sample < SAMPLES * SAMPLES; sample++) {
        const px = (column * SAMPLES + (sample % SAMPLES) + 0.5) * unit
        const py = (row * SAMPLES + Math.floor(sample / SAMPLES) + 0.5) * unit
        const box = BOXES.findLast((candidate) => contains(candidate, px, py))
        if (box === undefined) continue
        covered++
        box.colour.forEach((part, at) => {
          sum[at]! += part
        })
      }
      const start = row * (1 + 4 * size) + 1 + 4 * column
      sum.forEach((part, at) => {
        rows[start + at] = covered === 0 ? 0 : Math.round(part / covered)
      })
      rows[start + 3] = Math.round((255 * covered) / (SAMPLES * SAMPLES))
    }
  return rows
}

function png(size: number, rows: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header[8] = 8 //  bits a channel
  header[9] = 6 //  RGBA
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const out = Buffer.alloc(8 + body.length)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), 4 + body.length)
  return out
}
