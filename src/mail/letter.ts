import type { Message } from '#adapters/mail.ts'
import type { Config } from '#src/settings.ts'
import { renderMail } from './render.ts'

/** What a mail says; both of its bodies are made from it. */
export type Letter = {
  subject: string
  before: string[]
  /** A code to be typed, shown large. */
  code?: string
  /** An address of ours, always below the configured issuer. */
  link?: { label: string; href: string }
  after?: string[]
}

/**
 * A letter to one address, as text and as HTML that loads nothing. Nobody's name can put markup into it, since Eta
 * escapes, nor a line into the header, since line ends are blanks (attacks row 36).
 */
export function letterTo(
  to: string,
  { subject, before, code, link, after = [] }: Letter,
  { branding }: Pick<Config, 'branding'>,
): Message {
  const line = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
  const said = {
    subject: line(subject),
    before: before.map(line),
    after: after.map(line),
    code,
    link,
    brand: branding.name,
  }
  const paragraphs = [
    ...said.before,
    ...(code ? [code] : []),
    ...(link ? [`${link.label}:\n${link.href}`] : []),
    ...said.after,
  ]
  return {
    to,
    subject: said.subject,
    text: `${[...paragraphs, branding.name].join('\n\n')}\n`,
    html: renderMail('letter', said),
  }
}
