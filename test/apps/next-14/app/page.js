export default () => <h1>Next 14 home</h1>
