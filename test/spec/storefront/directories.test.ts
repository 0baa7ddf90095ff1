import { AgentCard, type Message, Role, TaskState } from '@a2a-js/sdk'
import { ClientFactory } from '@a2a-js/sdk/client'
import { discoverOriginSchema, GuidanceMode } from '@agentcash/discovery'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GOODS } from '../../../api/goods/index.ts'
import { formatUsdc } from '../../../ops/units.ts'
import { get, rawRequest } from '../../support/buyer.ts'
import { startWorld, type World } from './world.ts'

let world: World
let base: string
beforeAll(async () => {
  world = await startWorld({ SECURITY_CONTACT: 'mailto:security@example.com' })
  base = world.base
})
afterAll(() => world?.stop())

describe('3.2 the agentcash audit of the running service', () => {
  test('finds every good with its price, currency and protocol', async () => {
    const found = await discoverOriginSchema({ target: base, guidance: GuidanceMode.Always })
    if (!found.found) throw new Error(found.message ?? found.cause)
    const paid = found.endpoints.filter(({ authMode }) => authMode === 'paid')
    expect(paid.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      GOODS.map(({ path }) => `GET ${path}`).sort(),
    )
    for (const { path, priceMicroUsdc } of GOODS) {
      const endpoint = paid.find((each) => each.path === path)!
      expect(endpoint).toMatchObject({ currency: 'USD', pricingMode: 'fixed', protocols: ['x402'] })
      expect(Number.parseFloat(endpoint.price!)).toBe(Number(formatUsdc(priceMicroUsdc)))
    }
    expect(found.guidance).toMatch(/x402|PAYMENT-REQUIRED/)
  })
})

describe('A2A 1.0: the card says what the agent does, and it does', () => {
  const client = () => new ClientFactory().createFromUrl(base)
  const message = (text: string, change: Partial<Message> = {}) => ({
    tenant: '',
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
          content: { $case: 'text' as const, value: text },
          metadata: undefined,
          filename: '',
          mediaType: '',
        },
      ],
      ...change,
    },
    configuration: undefined,
    metadata: undefined,
  })

  test('the SDK reads the card and writes the same: no field is unknown, required ones are there, none is of 0.3', async () => {
    const { json } = await get(`${base}/.well-known/agent-card.json`)
    const { documentationUrl, iconUrl, ...written } = AgentCard.toJSON(AgentCard.fromJSON(json)) as Record<
      string,
      unknown
    >
    expect({ documentationUrl, iconUrl, ...written }).toEqual(json)
    for (const field of ['name', 'description', 'version', 'supportedInterfaces', 'capabilities', 'skills'])
      expect(json[field], field).toBeTruthy()
    expect(json.defaultInputModes.length * json.defaultOutputModes.length).toBeGreaterThan(0)
    for (const skill of json.skills)
      expect(skill).toMatchObject({
        id: expect.any(String),
        name: expect.any(String),
        description: expect.any(String),
        tags: expect.arrayContaining(['x402']),
      })
    for (const field of ['url', 'protocolVersion', 'preferredTransport'])
      expect(json).not.toHaveProperty(field)
    expect(json.capabilities).not.toHaveProperty('extensions')
  })

  test('the stock client finds the interface, asks in words and is told what to buy', async () => {
    const answer = (await (await client()).sendMessage(message('repair my broken JSON text'))) as Message
    const [words, data] = answer.parts
    expect(words?.content).toMatchObject({
      $case: 'text',
      value: expect.stringContaining(`${base}/x402/v1/json`),
    })
    const { services } = (data!.content as { value: { services: { path: string; priceUsdc: number }[] } })
      .value
    expect(services[0]).toMatchObject({ path: '/x402/v1/json', priceUsdc: 0.001 })
    expect(services.length).toBeLessThanOrEqual(5)
  })

  test('a request that fits nothing gets the whole list', async () => {
    const answer = (await (await client()).sendMessage(message('zzz'))) as Message
    const { services } = (answer.parts[1]!.content as { value: { services: unknown[] } }).value
    expect(services).toHaveLength(GOODS.length)
  })

  test('a task is a TaskNotFoundError, as there are none; a broken body is a 400, a long one a 413', async () => {
    const agent = await client()
    const one = { tenant: '', id: 'none' }
    for (const asked of [
      () => agent.sendMessage(message('more', { taskId: 'none' })),
      () => agent.getTask({ ...one, historyLength: undefined }),
      () => agent.cancelTask({ ...one, metadata: undefined }),
    ])
      await expect(asked).rejects.toThrow(
        expect.objectContaining({ name: expect.stringMatching(/TaskNotFound/) }),
      )
    for (const body of [
      '',
      '{',
      '{"message":{}}',
      '{"message":{"messageId":"1","role":"ROLE_USER","parts":[]}}',
    ]) {
      const refused = await rawRequest(base, { path: '/a2a/message:send', method: 'POST', body })
      expect([body, refused.status, refused.json.error.status]).toEqual([body, 400, 'INVALID_ARGUMENT'])
      expect(refused.header('content-type')).toBe('application/problem+json')
    }
    const huge = await rawRequest(base, {
      path: '/a2a/message:send',
      method: 'POST',
      body: ' '.repeat(33 * 1024),
    })
    expect(huge.status).toBe(413)
  })

  test('ListTasks is an empty list, as there are none', async () => {
    const status = TaskState.TASK_STATE_UNSPECIFIED
    const asked = { tenant: '', contextId: '', status, pageToken: '', statusTimestampAfter: undefined }
    const listed = await (await client()).listTasks(asked)
    expect(listed).toMatchObject({ tasks: [], nextPageToken: '', totalSize: 0 })
  })

  test.each([
    ['1.0', 200],
    ['1.0.3', 200], //  patches change nothing
    ['', 200], //       asks for none
    ['0.3', 400],
    ['2.0', 400],
    ['1.00', 400],
  ])('A2A-Version %j is answered with %d', async (version, status) => {
    const body = JSON.stringify({ message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'dns' }] } })
    const headers: Record<string, string> = version === '' ? {} : { 'a2a-version': version }
    const answer = await rawRequest(base, { path: '/a2a/message:send', method: 'POST', headers, body })
    expect(answer.status).toBe(status)
    if (status === 400) expect(answer.json.error.details[0].reason).toBe('VERSION_NOT_SUPPORTED')
  })
})
