import { Component, type ReactNode } from 'react'

interface Props {
  fallback: (error: unknown) => ReactNode
  children: ReactNode
}

/** Shows `fallback` in place of children that failed to load or to render. */
export class ErrorBoundary extends Component<Props, { failure: { error: unknown } | null }> {
  override state = { failure: null as { error: unknown } | null }

  static getDerivedStateFromError(error: unknown) {
    return { failure: { error } }
  }

  override render(): ReactNode {
    return this.state.failure ? this.props.fallback(this.state.failure.error) : this.props.children
  }
}
