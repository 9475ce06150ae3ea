using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Pipeline.Scripting.Compilation;

/// <summary>A transform and its helpers: statements in a method, members in the class around it.</summary>
internal sealed class TransformCompilationUnit(
    string source,
    IReadOnlyList<ScriptHelper> helpers,
    CancellationToken cancellationToken,
    bool covers = false
) : ScriptCompilationUnit(Wrap(source, helpers), cancellationToken)
{
    private const string Prologue =
        Usings
        + Debuggable
        + "namespace PipelineScript { public sealed partial class Script : global::Pipeline.Scripting.TransformProgram { "
        + "public static global::Pipeline.Scripting.TransformProgram Create() => new Script(); protected override void RunScript() {\n";

    private const string HelperPrologue = Usings + "namespace PipelineScript { public sealed partial class Script {\n";

    /// <summary>Where the statements are, once compiled for coverage.</summary>
    public List<(string? Source, int Line)> Statements { get; } = [];

    protected override void Instrument()
    {
        for (var i = 0; covers && i < Texts.Count; i++)
        {
            var inserter = new CoverageInserter(UserSpan(i), Statements.Count);
            var edits = inserter.Run(Root(i));
            Statements.AddRange(
                inserter.Positions.Select(p => (Texts[i].Name, Texts[i].LineOf(Texts[i].ToUser(p)).Line))
            );
            if (edits.Count > 0)
                Edit(i, edits);
        }
    }

    protected override void Structure(List<ScriptError> errors)
    {
        for (var i = 0; i < Texts.Count; i++)
        {
            var text = Texts[i];
            var type = Root(i).DescendantNodes().OfType<ClassDeclarationSyntax>().First();
            var close =
                i == 0
                    ? type
                        .Members.OfType<MethodDeclarationSyntax>()
                        .First(m => m.Identifier.Text == "RunScript")
                        .Body!.CloseBraceToken
                    : type.CloseBraceToken;
            if (!close.IsMissing && close.SpanStart < text.UserEnd)
            {
                errors.Add(
                    ScriptDiagnostics.Create(
                        text,
                        close.Span,
                        "CS1022",
                        "this '}' closes nothing",
                        "remove it, or add the '{' that is missing"
                    )
                );
                continue;
            }

            foreach (var diagnostic in Trees[i].GetDiagnostics().Where(d => d.Severity == DiagnosticSeverity.Error))
                errors.Add(ScriptDiagnostics.Create(text, diagnostic, Model(i)));
        }
    }

    private static List<MappedText> Wrap(string source, IReadOnlyList<ScriptHelper> helpers)
    {
        var texts = new List<MappedText> { new(null, Prologue, source, "\n}}}") };
        foreach (var helper in helpers)
            texts.Add(new MappedText(helper.Name, HelperPrologue, helper.Source, "\n}}"));
        return texts;
    }
}
