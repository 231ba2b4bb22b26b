declare module 'virtual:emoji/*' {
  const emoji: [string, number, string, string][]
  export default emoji
}
