import type { Browser, Page } from 'playwright-core'
import { startBrowser, type Watched, watchedPage } from './browser.ts'
import { startTestChain, type TestChain } from './chain.ts'
import { type Service, startService } from './service.ts'

export type Shop = {
  chain: TestChain
  service: Service
  base: string
  visit(path: string, options?: Parameters<typeof watchedPage>[1]): Promise<Watched>
  /** Closes every page that was visited. */
  leave(): Promise<void>
  stop(): Promise<void>
}

/** One api process with its chain, and a browser that looks at it. */
export async function startShop(): Promise<Shop> {
  const [chain, browser]: [TestChain, Browser] = await Promise.all([startTestChain(), startBrowser()])
  const service = await startService({ chain, processes: 1, namesItself: true })
  const base = service.bases[0]!
  let open: Page[] = []
  return {
    chain,
    service,
    base,
    visit: async (path, options = {}) => {
      const watched = await watchedPage(browser, options)
      open.push(watched.page)
      await watched.page.goto(`${base}${path}`)
      return watched
    },
    leave: async () => {
      for (const page of open) await page.close()
      open = []
    },
    stop: async () => {
      await browser.close()
      await service.stop()
      await chain.stop()
    },
  }
}
