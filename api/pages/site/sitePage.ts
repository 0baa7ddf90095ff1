import type { Facts } from '../../storefront/facts.ts'
import type { PlaceName } from '../../storefront/places.ts'
import type { Content } from '../content/content.ts'

/** One page of the site. All its forms are functions of the facts, so each is made once. */
export type SitePage = {
  place: PlaceName // its path and its title
  description: string
  content(facts: Facts, served: ReadonlySet<string>): Content
  /** What its JSON has besides the content: the records an agent looks for. */
  data?(facts: Facts): Record<string, unknown>
  /** The whole JSON, where a published shape takes the place of the page's own. */
  json?(facts: Facts): unknown
  /** The script that runs on it. */
  script?: URL
}
