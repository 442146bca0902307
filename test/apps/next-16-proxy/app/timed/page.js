export const revalidate = 3600

export default async () => (
  <p>
    Timed <time>{Date.now()}</time>
  </p>
)
