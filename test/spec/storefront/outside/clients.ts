import { setTimeout as sleep } from 'node:timers/promises'
import { AgentCard, type Message, Role } from '@a2a-js/sdk'
import { ClientFactory } from '@a2a-js/sdk/client'
import { Validator } from '@seriousme/openapi-schema-validator'
import { validateDiscoveryExtension, validateDiscoveryExtensionSpec } from '@x402/extensions/bazaar'
import { wrapFetchWithPayment } from '@x402/fetch'
import type { Hex } from 'viem'
import { buyTool, callTool, connectMcp, requiredOf, wallet } from '../../../support/mcp.ts'
import { type Finding, type Json, listedServices, readJson, requiredIn } from './finding.ts'

const finding = (judged: number, errors: string[]): Finding => ({ judged, errors, warnings: [] })

/** The bazaar extension of each 402, by both validators of the SDK. */
export async function bazaar(base: string): Promise<Finding> {
  const services = await listedServices(base)
  const errors: string[] = []
  for (const { url } of services) {
    const extension = requiredIn(await fetch(url)).extensions?.bazaar
    for (const validate of [validateDiscoveryExtension, validateDiscoveryExtensionSpec]) {
      const verdict = validate(extension)
      if (!verdict.valid) errors.push(`${url}: ${verdict.errors?.join('; ')}`)
    }
  }
  return finding(services.length, errors)
}

export async function openApiValidator(base: string): Promise<Finding> {
  const document = await readJson(`${base}/openapi.json`)
  const { valid, errors } = await new Validator().validate(document)
  const operations = Object.values(document.paths as object).flatMap((item) => Object.keys(item))
  return finding(operations.length, valid ? [] : [JSON.stringify(errors)])
}

/** The card as the SDK reads it, and a request in words to the interface that it names. */
export async function a2a(base: string): Promise<Finding> {
  const card = await readJson(`${base}/.well-known/agent-card.json`)
  const read = AgentCard.toJSON(AgentCard.fromJSON(card)) as Record<string, unknown>
  const errors = Object.keys(card).flatMap((field) =>
    JSON.stringify(sorted(read[field])) === JSON.stringify(sorted(card[field])) ? [] : [`card: ${field}`],
  )
  const client = await new ClientFactory().createFromUrl(base)
  const answer = (await client.sendMessage({
    tenant: '',
    configuration: undefined,
    metadata: undefined,
    message: {
      messageId: crypto.randomUUID(),
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      parts: [
        {
          content: { $case: 'text', value: 'look up DNS records' },
          metadata: undefined,
          filename: '',
          mediaType: '',
        },
      ],
    },
  })) as Message
  const data = answer.parts.find(({ content }) => content?.$case === 'data')?.content?.value as Json
  if (!data?.services?.[0]?.url?.endsWith('/dns')) errors.push('a request in words finds no read')
  return finding(card.skills.length, errors)
}

/** JSON with its names in order. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort()
            .map(([name, part]) => [name, sorted(part)]),
        )
      : value

/** The official client calls every tool without payment and checks each result by its schema; one is bought. */
export async function mcp(base: string, key: Hex): Promise<Finding> {
  const client = await connectMcp(base)
  try {
    const { tools } = await client.listTools()
    const paid = tools.filter(({ _meta }) => _meta?.price !== undefined)
    const errors: string[] = []
    for (const { name } of paid) {
      const called = await callTool(client, name)
      const [accepted] = requiredOf(called).accepts
      const price = paid.find((tool) => tool.name === name)!._meta!.price as Json
      if (!called.isError || accepted?.amount !== price.amountAtomic) errors.push(`${name}: offer`)
    }
    const [cheapest] = paid
    const bought = await buyTool(client, wallet(key), cheapest!.name)
    if (bought.isError || bought.settled?.success !== true) errors.push(`${cheapest!.name}: ${bought.text}`)
    return finding(tools.length, errors)
  } finally {
    await client.close()
  }
}

/** Repeats a request with its payment while the answer says that the outcome is not known yet. */
const patient: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(request.clone())
    if (answer.status !== 503 || attempt === 5) return answer
    await sleep(1_000)
  }
}

/** Every good but those above `maxUsdc`, bought with the examples of the listing. */
export async function stockFetch(base: string, key: Hex, maxUsdc: number): Promise<Finding> {
  const services = (await listedServices(base)).filter(({ priceUsdc }) => priceUsdc <= maxUsdc)
  const pay = wrapFetchWithPayment(patient, wallet(key))
  const errors: string[] = []
  for (const { url, sku, parameters } of services) {
    const query = parameters.filter((each: Json) => each.in === 'query')
    const sent = query.some((each: Json) => each.required) ? query : query.slice(0, 1)
    const asked = new URLSearchParams(sent.map((each: Json) => [each.name, each.example]))
    const answer = await pay(asked.size === 0 ? url : `${url}?${asked}`)
    const text = await answer.text()
    if (answer.status !== 200 || JSON.parse(text).sku !== sku) errors.push(`${url}: ${answer.status} ${text}`)
  }
  return finding(services.length, errors)
}
