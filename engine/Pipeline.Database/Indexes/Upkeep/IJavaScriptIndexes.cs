namespace Pipeline.Database.Indexes;

/// <summary>Compiles index definitions in JavaScript; implemented by the assembly Pipeline.JavaScript. Thread-safe.</summary>
internal interface IJavaScriptIndexes
{
    /// <summary>Compiles a definition.</summary>
    /// <exception cref="InvalidIndexException">It does not compile.</exception>
    IIndexMapper Compile(IndexDefinition definition);
}
