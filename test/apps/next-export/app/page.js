export default () => <h1>Exported home</h1>
