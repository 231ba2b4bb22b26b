import {
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core'
import { create } from 'zustand'

type Density = 'comfortable' | 'compact'

const DENSITY = 'bubbles.density'

function show(density: Density): void {
  document.documentElement.dataset.density = density
}

/** How close messages stand, as chosen in this browser. */
export const useDensity = create<{ density: Density; choose: (density: Density) => void }>((set) => {
  const density = localStorage.getItem(DENSITY) === 'compact' ? 'compact' : 'comfortable'
  show(density)
  return {
    density,
    choose: (chosen) => {
      localStorage.setItem(DENSITY, chosen)
      show(chosen)
      set({ density: chosen })
    },
  }
})

// Warm neutrals instead of the framework's bluish ones, which show at once under warm paper.
const gray: MantineColorsTuple = [
  '#fafaf7', '#f5f5f1', '#efefe9', '#e2e1da', '#d0cfc6', '#aeada3', '#85877e', '#63665e', '#3c3f39', '#1a1c19',
]
const dark: MantineColorsTuple = [
  '#e9ece7', '#c4c9c1', '#9aa098', '#6e756d', '#3b403c', '#2a2e2b', '#1f2321', '#181b19', '#101211', '#0c0e0d',
]
const jade: MantineColorsTuple = [
  '#eaf7f1', '#dff2e8', '#b3e3cd', '#84d2af', '#5bc796', '#3cc793', '#1f9f70', '#0a7550', '#086143', '#054a33',
]
const amber: MantineColorsTuple = [
  '#fff8ea', '#fff4df', '#fbe3b5', '#f9d185', '#f9c05b', '#f5a524', '#f0930d', '#8a5400', '#6d4300', '#4d2f00',
]
const red: MantineColorsTuple = [
  '#fdeceb', '#fbd9d7', '#f6b3ae', '#ff8f86', '#e8645a', '#d2433a', '#c2332a', '#b3261e', '#8f1d17', '#6b1511',
]

// The framework puts white on every filled colour; on the bright jade of the dark theme that cannot be read.
const coloured: VariantColorsResolver = (input) => {
  const colours = defaultVariantColorsResolver(input)
  const isPrimary = input.variant === 'filled' && (input.color === undefined || input.color === 'jade')
  return isPrimary ? { ...colours, color: 'var(--on-jade)' } : colours
}

export const theme = createTheme({
  primaryColor: 'jade',
  primaryShade: { light: 7, dark: 5 },
  variantColorResolver: coloured,
  colors: { gray, dark, jade, amber, red },
  white: '#ffffff',
  black: '#1a1c19',
  fontFamily: 'var(--sans)',
  fontFamilyMonospace: 'var(--mono)',
  headings: { fontFamily: 'var(--sans)', fontWeight: '620' },
  defaultRadius: 10,
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // A menu has items only, and is in a landmark.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, portalProps: { target: '#content' } } },
    // The head of a dialog is not another one of the page.
    Modal: { defaultProps: { attributes: { header: { role: 'presentation' } } } },
    Drawer: { defaultProps: { attributes: { header: { role: 'presentation' } } } },
  },
  fontSizes: { xs: '12px', sm: '13px', md: '15px', lg: '17px', xl: '20px' },
})

export const variables: CSSVariablesResolver = () => {
  const shared = {
    '--mantine-color-body': 'var(--bg)',
    '--mantine-color-text': 'var(--text)',
    '--mantine-color-dimmed': 'var(--muted)',
    '--mantine-color-placeholder': 'var(--muted)',
    '--mantine-color-default': 'var(--surface)',
    '--mantine-color-default-border': 'var(--line-strong)',
    '--mantine-color-default-color': 'var(--text)',
    '--mantine-color-error': 'var(--danger)',
    '--mantine-color-anchor': 'var(--jade)',
    '--mantine-primary-color-contrast': 'var(--on-jade)',
  }
  return { variables: {}, light: shared, dark: shared }
}
