import type { AnchorProps, ButtonProps } from '@mantine/core'
import { Anchor, Button } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'

type Of<P> = P & Omit<ComponentProps<'a'>, keyof P>

/** Links to screens in the looks of Mantine. `component={Link}` would take any path, these only one that there is. */
export const ButtonLink = createLink((props: Of<ButtonProps>) => <Button component="a" {...props} />)
export const AnchorLink = createLink((props: Of<AnchorProps>) => <Anchor {...props} />)
