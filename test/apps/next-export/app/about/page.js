export default () => <h1>Exported about</h1>
