/** Which settings to show, where that is not all of them. */
export const shown = ['changeable', 'stored', 'environment'] as const

/** Sections that people change, in the order in which they look for them; the rest follows, what is fixed at the end. */
const first = [
  ...['branding', 'portal', 'smtp', 'sms', 'auth', 'onboarding', 'invite', 'oauth', 'audit'],
  ...['webhooks', 'plugins', 'egress', 'delivery', 'trust_proxy', 'log'],
]

/** Sections in their order, each once. */
export function inOrder(sections: string[]): string[] {
  const place = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length)
  return [...new Set(sections)].sort((a, b) => place(a) - place(b))
}
