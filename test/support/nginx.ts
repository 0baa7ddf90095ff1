import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { readSource } from '../house/sources.ts'
import { get } from './buyer.ts'
import { freePort } from './ports.ts'
import { type Running, run, until } from './process.ts'

//  where Debian has it is not on everybody's PATH
const NGINX = [...process.env.PATH!.split(delimiter), '/usr/sbin']
  .map((folder) => join(folder, 'nginx'))
  .find((path) => existsSync(path))
export const isAbsent =
  NGINX === undefined ? 'skipped: there is no nginx on the PATH (apt-get install nginx)' : null
export const shipped = readSource('ops/image/nginx.conf')

/** nginx with the shipped server, but without TLS, before these ports. @param change one more difference. */
export async function startProxy(apiPorts: number[], change = (text: string) => text) {
  const dir = await mkdtemp(join(tmpdir(), 'microdata-nginx-'))
  await chmod(dir, 0o755) //  started by root, nginx works as another user
  const port = await freePort()
  const server = change(shipped)
    .replace('listen 443 ssl http2', `listen 127.0.0.1:${port}`)
    .replace(/^ *ssl_certificate.*$/gm, '')
    .replace(/^ *error_log \/var.*$/m, '') //  its complaints are read here
    .replace(/^.*(server 127\.0\.0\.1:)8402(.*;).*$/m, (_, before, after) =>
      apiPorts.map((port) => `${before}${port}${after}`).join('\n'),
    )
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  )
  const settings = `pid ${dir}/pid; daemon off; worker_processes 1; error_log stderr;
    events {}
    http { gzip on; access_log ${dir}/access.log; ${paths.join(' ')} ${server} }`
  const file = join(dir, 'nginx.conf')
  await writeFile(file, settings)
  const nginx: Running = run(NGINX!, ['-e', 'stderr', '-p', dir, '-c', file])
  const base = `http://127.0.0.1:${port}`
  await until('nginx listens', () => get(`${base}/`).catch(() => null))
  return {
    port,
    base,
    complaints: () => nginx.stderr(),
    logged: () => readFile(join(dir, 'access.log'), 'utf8'),
    /** As an operator edits the file and reloads it. Returns when nobody works by the former settings any more. */
    reload: async (edit: (settings: string) => string) => {
      const former = await childrenOf(nginx.pid)
      await writeFile(file, edit(settings))
      process.kill(nginx.pid, 'SIGHUP')
      await until('the former workers are gone', async () => {
        const now = await childrenOf(nginx.pid)
        return now.length > 0 && !now.some((pid) => former.includes(pid))
      })
    },
    stop: async () => {
      await nginx.stop()
      await rm(dir, { recursive: true })
    },
  }
}

export type Nginx = Awaited<ReturnType<typeof startProxy>>
export const portOf = (base: string): number => Number(new URL(base).port)

const childrenOf = async (pid: number): Promise<string[]> => {
  const { stdout } = await promisify(execFile)('pgrep', ['-P', String(pid)])
  return stdout.split('\n').filter((line) => line !== '')
}
