using Microsoft.CodeAnalysis;

namespace Pipeline.Client.Analyzers;

/// <summary>The diagnostics of the analyzers.</summary>
internal static class Rules
{
    /// <summary>A transform keeps state.</summary>
    public static readonly DiagnosticDescriptor StatefulTransform = new(
        "PIPE001",
        "A transform keeps state",
        "The transform '{0}' keeps state in '{1}'. A task runs one instance on several threads and repeats documents after errors; {2}.",
        "Reliability",
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true
    );

    /// <summary>A session is never disposed.</summary>
    public static readonly DiagnosticDescriptor OpenSession = new(
        "PIPE002",
        "A session is never disposed",
        "{0} is never disposed; declare a variable for it with 'await using'",
        "Reliability",
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true
    );

    /// <summary>A session is used after it was disposed.</summary>
    public static readonly DiagnosticDescriptor DisposedSession = new(
        "PIPE003",
        "A session is used after it was disposed",
        "{0} after the session '{1}' was disposed; {2}",
        "Reliability",
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true
    );

    /// <summary>A query loads a whole collection.</summary>
    public static readonly DiagnosticDescriptor UnlimitedQuery = new(
        "PIPE004",
        "A query loads a whole collection",
        "{0} loads all documents of the class '{1}'; narrow the query with Where, limit it with Take, or read it with 'await foreach' and AsAsyncEnumerable",
        "Performance",
        DiagnosticSeverity.Info,
        isEnabledByDefault: true
    );
}
