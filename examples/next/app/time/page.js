export const revalidate = 1
export default () => (
  <p>
    Made at <time>{Date.now()}</time>
  </p>
)
