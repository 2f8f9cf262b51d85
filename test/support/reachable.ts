/** Waits until a server that was just started answers anything at all. */
export async function answers(url: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (await fetch(url, { redirect: 'manual' }).catch(() => undefined)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`nothing answers at ${url}`)
}
