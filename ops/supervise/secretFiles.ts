import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../replaceFile.ts'

/** Made once per data folder, readable by the owner only; the paths go to the parts that need them. */
export type Secrets = {
  receiptKeyFile: string //     Ed25519 private key, PKCS#8 PEM
  serviceSecretFile: string //  32 random bytes
  clickhousePassword: string
  analystPassword: string
}

/** @throws when a secret lies open to others: it may have been read. */
export async function loadSecrets(dataDir: string): Promise<Secrets> {
  const folder = join(dataDir, 'secrets')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  const receiptKeyFile = join(folder, 'receipt-key.pem')
  const serviceSecretFile = join(folder, 'service-secret')
  await once(receiptKeyFile, () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
  )
  await once(serviceSecretFile, () => randomBytes(32))
  const password = async (name: string) => {
    const file = join(folder, name)
    await once(file, () => randomBytes(18).toString('base64url'))
    return (await readFile(file, 'utf8')).trim()
  }
  return {
    receiptKeyFile,
    serviceSecretFile,
    clickhousePassword: await password('clickhouse-password'),
    analystPassword: await password('analyst-password'),
  }
}

async function once(file: string, make: () => string | Buffer): Promise<void> {
  const found = await stat(file).catch(() => null)
  if (found !== null) {
    if ((found.mode & 0o077) !== 0)
      throw new Error(`${file} can be read by others: chmod 600 it, and keep it: what was sold needs it`)
    return
  }
  await replaceFile(file, make())
}
