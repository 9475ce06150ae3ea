namespace Pipeline.Indexing.Analysis;

/// <summary>A field asks for an analyzer that there is not, or gives one arguments that it does not take.</summary>
public sealed class UnknownAnalyzerException : Exception
{
    internal UnknownAnalyzerException(string name, string problem)
        : base($"The analyzer '{name}' cannot be used: {problem}. There are: {string.Join(", ", Analyzers.Names)}.") =>
        (Name, Problem) = (name, problem);

    /// <summary>The given name.</summary>
    public string Name { get; }

    /// <summary>What is wrong with it.</summary>
    public string Problem { get; }
}
