export default () => <h1>Next home</h1>
