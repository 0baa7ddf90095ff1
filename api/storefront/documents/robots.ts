import { type Document, TEXT_TYPE } from '../document.ts'

/** Everything may be read. A paid path answers 402 to a caller that does not pay, and costs a crawler nothing. */
export const robots: Document = {
  path: '/robots.txt',
  type: TEXT_TYPE,
  text: ({ publicUrl }) => `User-agent: *\nAllow: /\n\nSitemap: ${publicUrl}/sitemap.xml\n`,
}
