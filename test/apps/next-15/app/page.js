export default () => <h1>Next 15 home</h1>
