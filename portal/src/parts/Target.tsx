import './target.css'

/** What something was done to: its name with the id beside, or what stands in the log. */
export function Target({ target, called }: { target: string; called: string | undefined }) {
  if (called === undefined) return <bdi>{target}</bdi>
  return (
    <>
      <bdi>{called}</bdi> <span className="target-id">{target}</span>
    </>
  )
}
