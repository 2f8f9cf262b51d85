/** Takes the focus when it appears: a step of a dialog that follows another, so that a keyboard goes on from there. */
export function focused(element: HTMLElement | null): void {
  element?.focus()
}
