import type { Route } from '../http/router.ts'
import type { Held } from '../live/held.ts'
import type { Facts } from '../storefront/facts.ts'
import { type Asset, assetRoute, otherVersionsRoute } from './asset.ts'
import { browserModules } from './browserModules.ts'
import { liveRoute } from './live/route.ts'
import { ICON, STYLE } from './shell.ts'
import { SITE_PAGES } from './site/index.ts'
import { siteRoute } from './site/siteRoute.ts'

/**
 * Pages for people and their assets, each page in three forms by `Accept`: HTML, markdown and JSON.
 * @param paths every path that is served: navigation leads only to what there is.
 */
export function openPages({
  facts,
  held,
  paths,
}: {
  facts: Facts
  held(): Held
  paths(): Iterable<string>
}): Route[] {
  const assets = new Map<string, Asset>([STYLE, ICON].map((each) => [each.path, each]))
  const scriptsOf = (entry: URL | undefined): Asset[] => {
    const scripts = entry === undefined ? [] : browserModules(entry)
    for (const script of scripts) assets.set(script.path, script) //  several pages may share one
    return scripts
  }
  const served = () => new Set(paths())
  const live = liveRoute({
    held,
    served,
    publicUrl: facts.publicUrl,
    scripts: scriptsOf(new URL('client/live.ts', import.meta.url)),
  })
  const site = SITE_PAGES.map((page) => siteRoute(page, { facts, served, scripts: scriptsOf(page.script) }))
  //  no script: it would meet a page that it was not written for, and ask for others that are not there
  return [live, ...site, ...[...assets.values()].map(assetRoute), otherVersionsRoute([STYLE, ICON])]
}
