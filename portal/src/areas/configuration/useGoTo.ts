import { useEffect, useState } from 'react'

/** The id of a setting's field. */
export function fieldOf(path: string): string {
  return `setting-${path}`
}

/** Brings a setting into view and puts the cursor there, once `show` made its section the shown one. */
export function useGoTo(show: (path: string) => unknown) {
  const [wanted, setWanted] = useState<string>()
  useEffect(() => {
    if (wanted === undefined) return
    const field = document.getElementById(fieldOf(wanted))
    if (!field) return
    field.focus()
    setWanted(undefined)
  })
  return (path: string) => {
    setWanted(path)
    void show(path)
  }
}
