using Pipeline.Database.Scripts.JavaScript;
using Xunit;

namespace Pipeline.Tests.JavaScript;

/// <summary>Whether this build has JavaScript.</summary>
internal static class JavaScriptThere
{
    public const string Reason = "This program was built without Jint, which the package feed lacks: JavaScript was not tested.";

    /// <summary>The compiler; the test is skipped where there is none.</summary>
    public static IJavaScriptCompiler Require()
    {
        Skip.If(JavaScriptLanguage.Compiler is null, Reason);
        return JavaScriptLanguage.Compiler!;
    }
}
