/** Files change their names with each release: a page from before it cannot load more, and is fetched anew, once a minute. */
export function renewWhenOld(): void {
  addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(key))
    if (Date.now() - last < 60_000) return
    sessionStorage.setItem(key, String(Date.now()))
    event.preventDefault()
    location.reload()
  })
}

const key = 'latchkey-renewed'
