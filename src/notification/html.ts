const length = [/^-?\d{1,4}(\.\d+)?(px|pt|em|rem|%)?$/]
const lengths = [/^(-?\d{1,4}(\.\d+)?(px|pt|em|rem|%)?\s*){1,4}$/]
const colour = [/^#[0-9a-f]{3,8}$/i, /^rgba?\([\d\s.,%]{1,40}\)$/i, /^[a-z]{3,24}$/i]
const word = [/^[a-z0-9-]{1,24}$/i]

/**
 * HTML that every mail program shows and that does nothing: no script, handler, form, frame or style sheet, and no style
 * that loads something (contract section 8). Pictures come by https, links lead to https, http, mailto or tel.
 */
export async function safeHtml(html: string): Promise<string> {
  const { default: sanitize } = await import('sanitize-html') // 3 MB, and rarely needed
  return sanitize(html, {
    allowedTags: [
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'div', 'span', 'br', 'hr', 'blockquote', 'pre', 'code'],
      ...['b', 'strong', 'i', 'em', 'u', 's', 'small', 'sub', 'sup', 'ul', 'ol', 'li', 'a', 'img'],
      ...['table', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td', 'caption'],
    ],
    allowedAttributes: {
      '*': ['style', 'align', 'title', 'dir', 'lang'],
      a: ['href'],
      img: ['src', 'alt', 'width', 'height'],
      table: ['width', 'border', 'cellpadding', 'cellspacing', 'role'],
      td: ['colspan', 'rowspan', 'width', 'valign'],
      th: ['colspan', 'rowspan', 'width', 'valign', 'scope'],
      ol: ['start', 'type'],
    },
    allowedSchemes: ['https', 'http', 'mailto', 'tel'],
    allowedSchemesByTag: { img: ['https'] },
    allowProtocolRelative: false,
    allowedStyles: {
      '*': {
        ...{ color: colour, 'background-color': colour, 'border-color': colour },
        ...{ 'font-size': length, 'font-weight': word, 'font-style': word, 'line-height': length },
        ...{ 'text-align': word, 'text-decoration': word, 'vertical-align': word },
        ...{
          width: length,
          'max-width': length,
          height: length,
          'border-width': length,
          'border-radius': length,
        },
        ...{ margin: lengths, padding: lengths, 'border-style': word },
      },
    },
    disallowedTagsMode: 'discard',
  }).trim()
}

/** The same as plain text. Takes what `safeHtml` gives: its tags are known and closed. */
export function textOf(safe: string): string {
  const marked = safe
    .replace(/\s+/g, ' ')
    .replace(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/g, (_all, href: string, label: string) => {
      const said = label.replace(/<[^>]*>/g, '').trim()
      return said === href || said === '' ? href : `${said} (${href})`
    })
    .replace(/<img [^>]*?alt="([^"]*)"[^>]*>/g, '$1')
    .replace(/<li\b[^>]*>/g, '\n- ')
    .replace(/<(br|hr)\b[^>]*>/g, '\n')
    .replace(/<\/(td|th)>/g, ' ')
    .replace(/<\/?(ul|ol|tr|thead|tbody|tfoot)\b[^>]*>/g, '\n')
    .replace(/<\/?(p|div|h[1-6]|blockquote|pre|table|caption)\b[^>]*>/g, '\n\n')
    .replace(/<[^>]*>/g, '')
  const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', amp: '&' }
  return marked
    .replace(/&(lt|gt|quot|apos|nbsp|amp);/g, (_all, name: string) => named[name] ?? '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
