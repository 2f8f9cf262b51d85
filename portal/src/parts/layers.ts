/** Something that leads to something else: from what lies above to what lies below. */
export type Tie = { from: string; to: string }
/** Where something is drawn: left of the middle what is above it. */
export type Placed = { id: string; x: number; y: number }
export type Drawing = { placed: Placed[]; ties: Tie[]; width: number; height: number; left: number }

export const box = { width: 148, height: 38, across: 34, down: 12 }

/**
 * Lays out what is above and below of `middle`, each as far from it as its longest way, so that every tie leads to the
 * right. At most `most` are drawn, the nearest first; `left` says how many are not. Loops do no harm.
 */
export function layOut(middle: string, ties: readonly Tie[], most: number): Drawing {
  const below = listed(ties, 'from', 'to')
  const above = listed(ties, 'to', 'from')
  const up = walk(middle, above)
  const down = walk(middle, below).filter((id) => !up.includes(id))
  const half = Math.floor((most - 1) / 2)
  const room = { up: Math.max(half, most - 1 - down.length), down: Math.max(half, most - 1 - up.length) }
  const drawn = { up: up.slice(0, room.up), down: down.slice(0, room.down) }
  const columns = new Map([[middle, 0]])
  for (const [id, far] of distances(middle, drawn.up, above)) columns.set(id, -far)
  for (const [id, far] of distances(middle, drawn.down, below)) columns.set(id, far)
  const shown = ties.filter(({ from, to }) => columns.has(from) && columns.has(to))
  const placed = place(columns, shown)
  return {
    placed,
    ties: shown,
    width: Math.max(...placed.map(({ x }) => x)) + box.width,
    height: Math.max(...placed.map(({ y }) => y)) + box.height,
    left: up.length + down.length - drawn.up.length - drawn.down.length,
  }
}

function listed(ties: readonly Tie[], by: keyof Tie, what: keyof Tie): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const tie of ties) {
    const others = found.get(tie[by])
    if (others) others.push(tie[what])
    else found.set(tie[by], [tie[what]])
  }
  return found
}

/** All that one can get to, the nearest first. */
function walk(from: string, next: Map<string, string[]>): string[] {
  const found = new Set([from])
  for (const id of found) for (const each of next.get(id) ?? []) found.add(each)
  found.delete(from)
  return [...found]
}

/** How far each is by its longest way; what leads back, where there are loops, counts for nothing. */
function distances(from: string, to: readonly string[], next: Map<string, string[]>): Map<string, number> {
  const wanted = new Set(to)
  const order: string[] = []
  const seen = new Set<string>()
  const visit = (id: string) => {
    if (seen.has(id)) return
    seen.add(id)
    for (const each of next.get(id) ?? []) if (wanted.has(each)) visit(each)
    order.unshift(id)
  }
  visit(from)
  const places = new Map(order.map((id, at) => [id, at]))
  const far = new Map<string, number>()
  for (const [at, id] of order.entries())
    for (const each of next.get(id) ?? [])
      if ((places.get(each) ?? -1) > at) far.set(each, Math.max(far.get(each) ?? 0, (far.get(id) ?? 0) + 1))
  return far
}

/** Each column from top to bottom in the order of what it hangs on, from the middle outwards: so few ties cross. */
function place(columns: Map<string, number>, ties: readonly Tie[]): Placed[] {
  const numbers = [...new Set(columns.values())].sort((a, b) => Math.abs(a) - Math.abs(b))
  const stacks = new Map(
    numbers.map((column) => [column, [...columns].filter(([, at]) => at === column).map(([id]) => id)]),
  )
  const rows = new Map<string, number>()
  const inner = (id: string, column: number) =>
    ties.flatMap(({ from, to }) => (from === id && column < 0 ? [to] : to === id && column > 0 ? [from] : []))
  for (const [column, stack] of stacks) {
    const wanted = new Map(stack.map((id) => [id, mean(inner(id, column).map((each) => rows.get(each)))]))
    stack.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0))
    for (const [at, id] of stack.entries()) rows.set(id, at - (stack.length - 1) / 2)
  }
  const first = Math.min(...numbers)
  const tallest = Math.max(...[...stacks.values()].map(({ length }) => length))
  return [...stacks]
    .sort(([a], [b]) => a - b)
    .flatMap(([column, stack]) =>
      stack.map((id) => ({
        id,
        x: (column - first) * (box.width + box.across),
        y: ((rows.get(id) ?? 0) + (tallest - 1) / 2) * (box.height + box.down),
      })),
    )
}

function mean(given: (number | undefined)[]): number {
  const known = given.filter((each) => each !== undefined)
  return known.length === 0 ? 0 : known.reduce((sum, each) => sum + each, 0) / known.length
}
