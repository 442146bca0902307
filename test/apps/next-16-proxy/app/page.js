export default () => <h1>Next 16 home</h1>
