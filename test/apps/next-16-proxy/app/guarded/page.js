export default () => <h1>A secret</h1>
