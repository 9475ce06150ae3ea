using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Database.Scripts.JavaScript;

/// <summary>Finds the engine for JavaScript: the assembly Pipeline.JavaScript beside the program, built where the package feed has Jint. Thread-safe.</summary>
public static class JavaScriptLanguage
{
    private static readonly Lazy<IJavaScriptCompiler?> Found = new(Find);

    /// <summary>The compiler; <see langword="null"/> where this program was built without.</summary>
    public static IJavaScriptCompiler? Compiler => Found.Value;

    /// <summary>The compiler.</summary>
    /// <param name="use">What it is needed for, as a noun that begins the error.</param>
    /// <exception cref="JavaScriptMissingException">This program was built without.</exception>
    public static IJavaScriptCompiler Require(string use) => Compiler ?? throw new JavaScriptMissingException(use);

    [UnconditionalSuppressMessage("Trimming", "IL2057", Justification = "The optional assembly roots its own type; programs that scripts run in are not trimmed.")]
    private static IJavaScriptCompiler? Find() =>
        Type.GetType("Pipeline.JavaScript.JavaScriptCompiler, Pipeline.JavaScript", throwOnError: false) is { } type ? (IJavaScriptCompiler?)Activator.CreateInstance(type) : null;
}
