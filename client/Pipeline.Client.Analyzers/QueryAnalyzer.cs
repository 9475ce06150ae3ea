using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Pipeline.Client.Analyzers;

/// <summary>Finds queries that load a whole collection into memory.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class QueryAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [Rules.UnlimitedQuery];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterCompilationStartAction(start =>
        {
            if (
                start.Compilation.GetTypeByMetadataName("Pipeline.Client.DocumentQueryable") is not { } own
                || start.Compilation.GetTypeByMetadataName("Pipeline.Client.IDocumentSession") is not { } session
            )
            {
                return;
            }

            var store = start.Compilation.GetTypeByMetadataName("Pipeline.Client.DocumentStoreExtensions");
            start.RegisterOperationAction(
                operation => Inspect(operation, own, [session, store]),
                OperationKind.Invocation
            );
        });
    }

    private static void Inspect(
        OperationAnalysisContext context,
        INamedTypeSymbol own,
        ImmutableArray<INamedTypeSymbol?> sources
    )
    {
        var call = (IInvocationOperation)context.Operation;
        if (
            call.TargetMethod.Name is not ("ToListAsync" or "ToArrayAsync" or "ToResultsAsync")
            || !SymbolEqualityComparer.Default.Equals(call.TargetMethod.ContainingType, own)
        )
        {
            return;
        }

        if (Source(call, sources) is { } source)
        {
            context.ReportDiagnostic(
                Diagnostic.Create(
                    Rules.UnlimitedQuery,
                    call.Syntax.GetLocation(),
                    call.TargetMethod.Name,
                    source.TargetMethod.TypeArguments[0].Name
                )
            );
        }
    }

    /// <summary>
    /// The call of <c>Query</c> that a chain begins with; <see langword="null"/> if the chain is limited or begins
    /// elsewhere.
    /// </summary>
    private static IInvocationOperation? Source(IInvocationOperation chain, ImmutableArray<INamedTypeSymbol?> sources)
    {
        var at = chain.Arguments[0].Value;
        while (at is not null)
        {
            switch (at)
            {
                case IConversionOperation converted:
                    at = converted.Operand;
                    break;
                case ILocalReferenceOperation reference:
                    at = OnlyValue(reference);
                    break;
                case IInvocationOperation { TargetMethod: { Name: "Query", TypeArguments.Length: 1 } method } begin
                    when sources.Contains(method.ContainingType, SymbolEqualityComparer.Default):
                    return begin.Arguments.All(a =>
                        a.Parameter?.Name != "index"
                        || a.Value is IDefaultValueOperation
                        || a.Value.ConstantValue is { HasValue: true, Value: null }
                    )
                        ? begin
                        : null;
                case IInvocationOperation
                {
                    TargetMethod:
                    {
                        Name: "Select"
                            or "OrderBy"
                            or "OrderByDescending"
                            or "ThenBy"
                            or "ThenByDescending"
                            or "Include"
                            or "Skip"
                            or "Distinct"
                    },
                    Arguments.Length: > 0
                } step:
                    at = step.Arguments[0].Value;
                    break;
                default:
                    return null;
            }
        }

        return null;
    }

    /// <summary>The initial value of a variable that is never reassigned.</summary>
    private static IOperation? OnlyValue(ILocalReferenceOperation reference)
    {
        if (
            SessionUse
                .Of(reference.Local, reference)
                .Any(u =>
                    SessionUse.IsTarget(u) || u.Parent is IArgumentOperation { Parameter.RefKind: not RefKind.None }
                )
        )
        {
            return null;
        }

        var declaration = reference.Local.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax();
        return declaration is null
            ? null
            : (reference.SemanticModel?.GetOperation(declaration) as IVariableDeclaratorOperation)?.Initializer?.Value;
    }
}
