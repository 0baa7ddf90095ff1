import type { Charset } from './finder.ts'

/**
 * How a provider spells its keys: a fixed beginning, then `min` to `max` signs of a charset, standing alone. `within`
 * is a mark that must occur in them, `leadingDigits` how many of them are digits at the front. Spellings as the providers publish them.
 */
export type TokenShape = {
  provider: string
  prefixes: readonly string[]
  charset: Charset
  min: number
  max: number
  within?: string
  leadingDigits?: number
}

export const TOKEN_SHAPES: readonly TokenShape[] = [
  { provider: '1password', prefixes: ['ops_eyJ'], charset: 'base64', min: 100, max: 2_000 },
  { provider: 'age', prefixes: ['AGE-SECRET-KEY-1'], charset: 'upper', min: 58, max: 58 },
  {
    provider: 'anthropic',
    prefixes: [
      'sk-ant-api01-',
      'sk-ant-api02-',
      'sk-ant-api03-',
      'sk-ant-api04-',
      'sk-ant-admin01-',
      'sk-ant-oat01-',
    ],
    charset: 'base64url',
    min: 80,
    max: 131,
  },
  { provider: 'atlassian', prefixes: ['ATATT3xFf'], charset: 'base64url', min: 100, max: 250 },
  { provider: 'aws', prefixes: ['AKIA', 'ASIA', 'ABIA', 'ACCA'], charset: 'upper', min: 16, max: 16 },
  { provider: 'cloudflare', prefixes: ['cfut_', 'cfat_', 'cfk_'], charset: 'alnum', min: 48, max: 48 },
  { provider: 'databricks', prefixes: ['dapi'], charset: 'hex', min: 32, max: 32 },
  { provider: 'digitalocean', prefixes: ['dop_v1_', 'doo_v1_', 'dor_v1_'], charset: 'hex', min: 64, max: 64 },
  { provider: 'docker', prefixes: ['dckr_pat_', 'dckr_oat_'], charset: 'base64url', min: 27, max: 40 },
  { provider: 'doppler', prefixes: ['dp.pt.', 'dp.st.', 'dp.ct.'], charset: 'alnum', min: 40, max: 60 },
  { provider: 'figma', prefixes: ['figd_', 'figo_', 'figu_'], charset: 'base64url', min: 40, max: 200 },
  { provider: 'github', prefixes: ['ghp_', 'gho_', 'ghu_', 'ghr_'], charset: 'alnum', min: 36, max: 255 },
  { provider: 'github', prefixes: ['ghs_'], charset: 'dotted', min: 36, max: 1_000 },
  { provider: 'github', prefixes: ['github_pat_'], charset: 'base64url', min: 82, max: 82 },
  {
    provider: 'gitlab',
    prefixes: ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glft-', 'glsoat-', 'glimt-', 'glagent-'],
    charset: 'dotted',
    min: 20,
    max: 300,
  },
  { provider: 'google', prefixes: ['AIza'], charset: 'base64url', min: 35, max: 35 },
  { provider: 'google', prefixes: ['ya29.'], charset: 'base64url', min: 30, max: 500 },
  { provider: 'google', prefixes: ['GOCSPX-'], charset: 'base64url', min: 28, max: 28 },
  { provider: 'grafana', prefixes: ['glsa_'], charset: 'base64url', min: 41, max: 41 },
  { provider: 'grafana', prefixes: ['glc_'], charset: 'base64', min: 32, max: 402 },
  { provider: 'groq', prefixes: ['gsk_'], charset: 'alnum', min: 52, max: 52 },
  { provider: 'huggingface', prefixes: ['hf_', 'api_org_'], charset: 'alnum', min: 34, max: 37 },
  { provider: 'linear', prefixes: ['lin_api_', 'lin_oauth_'], charset: 'alnum', min: 32, max: 128 },
  { provider: 'mailgun', prefixes: ['key-'], charset: 'hex', min: 32, max: 32 },
  { provider: 'newrelic', prefixes: ['NRAK-'], charset: 'upper', min: 27, max: 27 },
  { provider: 'notion', prefixes: ['ntn_'], charset: 'alnum', min: 46, max: 46, leadingDigits: 11 },
  { provider: 'npm', prefixes: ['npm_'], charset: 'alnum', min: 36, max: 36 },
  { provider: 'openai', prefixes: ['sk-'], charset: 'base64url', min: 40, max: 200, within: 'T3BlbkFJ' },
  {
    provider: 'openai',
    prefixes: ['sk-proj-', 'sk-svcacct-', 'sk-admin-'],
    charset: 'base64url',
    min: 40,
    max: 200,
  },
  { provider: 'openrouter', prefixes: ['sk-or-v1-'], charset: 'hex', min: 64, max: 64 },
  { provider: 'perplexity', prefixes: ['pplx-'], charset: 'alnum', min: 48, max: 56 },
  {
    provider: 'planetscale',
    prefixes: ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'],
    charset: 'dotted',
    min: 32,
    max: 64,
  },
  { provider: 'postman', prefixes: ['PMAK-'], charset: 'base64url', min: 59, max: 59 },
  { provider: 'pypi', prefixes: ['pypi-AgE'], charset: 'base64url', min: 50, max: 1_000 },
  { provider: 'replicate', prefixes: ['r8_'], charset: 'alnum', min: 37, max: 40 },
  { provider: 'rubygems', prefixes: ['rubygems_'], charset: 'hex', min: 48, max: 48 },
  { provider: 'sentry', prefixes: ['sntrys_eyJ', 'sntryu_'], charset: 'base64', min: 60, max: 500 },
  {
    provider: 'shopify',
    prefixes: ['shpss_', 'shpat_', 'shpca_', 'shppa_'],
    charset: 'alnum',
    min: 32,
    max: 64,
  },
  {
    provider: 'slack',
    prefixes: ['xoxa-', 'xoxb-', 'xoxp-', 'xoxo-', 'xoxr-', 'xoxs-', 'xoxe-'],
    charset: 'base64url',
    min: 20,
    max: 300,
  },
  { provider: 'slack', prefixes: ['xapp-'], charset: 'base64url', min: 40, max: 200 },
  { provider: 'square', prefixes: ['sq0atp-', 'sq0csp-'], charset: 'base64url', min: 22, max: 43 },
  {
    provider: 'stripe',
    prefixes: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'],
    charset: 'alnum',
    min: 16,
    max: 200,
  },
  { provider: 'stripe', prefixes: ['whsec_'], charset: 'base64', min: 32, max: 100 },
  { provider: 'supabase', prefixes: ['sbp_'], charset: 'hex', min: 40, max: 40 },
  {
    provider: 'tailscale',
    prefixes: ['tskey-api-', 'tskey-auth-', 'tskey-client-', 'tskey-scim-', 'tskey-webhook-'],
    charset: 'base64url',
    min: 20,
    max: 80,
  },
  { provider: 'twilio', prefixes: ['SK'], charset: 'hex', min: 32, max: 32 },
  { provider: 'vault', prefixes: ['hvs.', 'hvb.', 'hvr.'], charset: 'base64url', min: 60, max: 500 },
  {
    provider: 'vercel',
    prefixes: ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'],
    charset: 'alnum',
    min: 20,
    max: 80,
  },
  { provider: 'xai', prefixes: ['xai-'], charset: 'alnum', min: 80, max: 80 },
]
