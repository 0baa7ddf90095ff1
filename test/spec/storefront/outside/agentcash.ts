import {
  checkL2ForOpenAPI,
  checkL4ForOpenAPI,
  discoverOriginSchema,
  GuidanceMode,
  getL3ForOpenAPI,
  getOpenAPI,
  getProbe,
  getWarningsForFavicon,
  getWarningsForL2,
  getWarningsForL3,
  getWarningsForL4,
  getWarningsForLegacyWellKnown,
  getWarningsForOpenAPI,
  isOpenApiParseFailure,
  probeLegacyWellKnown,
  validatePaymentRequiredDetailed,
} from '@agentcash/discovery'
import { type Finding, requiredIn } from './finding.ts'

/** The audit that registries run: layers 2 to 4 of the whole service, and the schemas and the 402 of each paid path. */
export async function agentcash(base: string): Promise<Finding & { paths: string[] }> {
  const document = (await getOpenAPI(base))._unsafeUnwrap()
  if (document === null || isOpenApiParseFailure(document)) throw new Error(JSON.stringify(document))
  const found = await discoverOriginSchema({ target: base, guidance: GuidanceMode.Always })
  if (!found.found) throw new Error(found.message ?? found.cause)
  const warnings = [
    ...getWarningsForOpenAPI(document),
    ...getWarningsForL2(checkL2ForOpenAPI(document)),
    ...getWarningsForL4(checkL4ForOpenAPI(document)),
    ...(await getWarningsForFavicon(base))._unsafeUnwrap(),
    ...getWarningsForLegacyWellKnown((await probeLegacyWellKnown(base))._unsafeUnwrap()),
  ]
  const errors: string[] = []
  const paths = found.endpoints.filter(({ authMode }) => authMode === 'paid').map(({ path }) => path)
  for (const path of paths) {
    const probed = (await getProbe(`${base}${path}`))._unsafeUnwrap().find(({ method }) => method === 'GET')
    const described = getL3ForOpenAPI(document, path, 'GET')!
    warnings.push(...getWarningsForL3({ ...described, paymentRequiredBody: probed?.paymentRequiredBody }))
    const { valid, issues } = validatePaymentRequiredDetailed(requiredIn(await fetch(`${base}${path}`)), {
      requireInputSchema: true,
      requireOutputSchema: true,
    })
    if (!valid || issues.some(({ severity }) => severity === 'error'))
      errors.push(`${path}: ${JSON.stringify(issues)}`)
  }
  return { paths, judged: paths.length, errors, warnings: warnings.map(({ code }) => code) }
}
