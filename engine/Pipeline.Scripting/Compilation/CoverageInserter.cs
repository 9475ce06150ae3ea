using System.Globalization;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Scripting.Compilation;

/// <summary>Finds the edits that make each statement of a text note that it runs.</summary>
internal sealed class CoverageInserter(TextSpan user, int first)
{
    private readonly List<MappedText.Edit> _edits = [];

    /// <summary>Where the statements begin; the first of them has the number that was given.</summary>
    public List<int> Positions { get; } = [];

    public List<MappedText.Edit> Run(SyntaxNode root)
    {
        foreach (var statement in root.DescendantNodes().OfType<StatementSyntax>().Where(n => user.Contains(n.Span)))
        {
            if (statement is BlockSyntax or LocalFunctionStatementSyntax or EmptyStatementSyntax)
                continue;
            var probe = string.Create(
                CultureInfo.InvariantCulture,
                $"global::Pipeline.Scripting.Runtime.{nameof(ScriptProbe)}.{nameof(ScriptProbe.Ran)}({first + Positions.Count});"
            );
            switch (statement.Parent)
            {
                case BlockSyntax or SwitchSectionSyntax:
                    Insert(statement.SpanStart, probe);
                    break;
                case LabeledStatementSyntax:
                    continue;
                default:
                    Insert(statement.SpanStart, "{" + probe);
                    Insert(statement.Span.End, "}");
                    break;
            }

            Positions.Add(statement.SpanStart);
        }

        return _edits;
    }

    private void Insert(int position, string text) => _edits.Add(new MappedText.Edit(position, 0, text));
}
