import './html-frame.css'
import { getNonce } from 'get-nonce'
import { useMemo } from 'react'

type Props = {
  title: string
  html: string /** Rules for a text that brings none of its own. */
  css?: string
}

/**
 * HTML as it looks, in a frame that may do nothing: no script, no form, no way out. It inherits the policy of this page,
 * which lets no style attribute in, so that styles become rules with the page's nonce.
 */
export function HtmlFrame({ title, html, css = '' }: Props) {
  const page = useMemo(() => framed(html, css), [html, css])
  return <iframe className="html-frame" title={title} sandbox="" srcDoc={page} />
}

function framed(html: string, css: string): string {
  // Taken for markup before anything reads it as a document: a style attribute there would be refused, and said so.
  const marked = html.replace(/(<[a-z][^<>]*?)\sstyle="([^"]*)"/gi, '$1 data-style="$2"')
  const page = new DOMParser().parseFromString(marked, 'text/html')
  const rules = [css]
  for (const [nth, element] of [...page.querySelectorAll('[data-style]')].entries()) {
    rules.push(`[data-styled="${nth}"] { ${element.getAttribute('data-style')} }`)
    element.removeAttribute('data-style')
    element.setAttribute('data-styled', String(nth))
  }
  const style = page.createElement('style')
  style.setAttribute('nonce', getNonce() ?? '')
  style.textContent = rules.join('\n')
  // A link would open a window, which the frame may not: it shows where it is and leads nowhere.
  const base = page.createElement('base')
  base.setAttribute('target', '_blank')
  page.head.append(base, style)
  return `<!doctype html>${page.documentElement.outerHTML}`
}

/** Rules by which a plain text looks like the portal around it, in light and in dark. */
export function plainLook(): string {
  const tokens = getComputedStyle(document.documentElement)
  const of = (name: string) => tokens.getPropertyValue(`--lk-${name}`)
  return `:root { color-scheme: light dark }
body { margin: 1rem; background: ${of('surface')}; color: ${of('ink')}; font: 1rem/1.6 ${of('font')}; overflow-wrap: anywhere }
h1, h2, h3, h4, h5, h6 { color: ${of('ink-strong')}; line-height: 1.3 }
a { color: ${of('primary')} }
table { border-collapse: collapse }
th, td { padding: 0.25rem 0.75rem; border: 1px solid ${of('line')} }
blockquote { margin-inline: 0; padding-inline-start: 1rem; border-inline-start: 3px solid ${of('line')} }`
}
