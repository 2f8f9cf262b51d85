/** Where one is, for the way back after signing in. */
function here(): string {
  return location.pathname + location.search
}

/** The session has ended, wherever that was: to the sign-in page, and back to here. Never answers. */
export function signInAgain(): Promise<never> {
  return leaveFor('/login')
}

/** Steps are open that the service wants done first: to their pages, and back to here. Never answers. */
export function takeOpenSteps(): Promise<never> {
  return leaveFor('/login/steps')
}

export function openStepsAddress(): string {
  return `/login/steps?${new URLSearchParams({ return_to: here() })}`
}

function leaveFor(page: string): Promise<never> {
  location.assign(`${page}?${new URLSearchParams({ return_to: here() })}`)
  return new Promise(() => {})
}
