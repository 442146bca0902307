export const generateStaticParams = () => [{ slug: 'one' }, { slug: 'two' }]
export default async ({ params }) => <p>Exported {(await params).slug}</p>
