import type { Document } from '../document.ts'
import { PLACES, type Place } from '../places.ts'

/** Pages and texts that a person may look for. Data, and what needs a token, is not for a search engine. */
const isForReading = ({ type }: Place): boolean => /^text\//.test(type)

/** `/sitemap.xml`, sitemaps.org 0.9. */
export const sitemap: Document = {
  path: '/sitemap.xml',
  type: 'application/xml',
  text: ({ publicUrl }) =>
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
      ...Object.values(PLACES)
        .filter(isForReading)
        .map(({ path }) => `  <url><loc>${escapeXml(`${publicUrl}${path}`)}</loc></url>`),
      '</urlset>',
      '',
    ].join('\n'),
}

const escapeXml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
