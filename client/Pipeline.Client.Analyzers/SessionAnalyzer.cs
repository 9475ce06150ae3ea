using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Pipeline.Client.Analyzers;

/// <summary>Finds sessions that are never disposed, and sessions that are used after they were.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class SessionAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
    [Rules.OpenSession, Rules.DisposedSession];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterCompilationStartAction(start =>
        {
            if (start.Compilation.GetTypeByMetadataName("Pipeline.Client.IDocumentSession") is not { } session)
                return;
            var lazy = ImmutableArray.Create(
                start.Compilation.GetTypeByMetadataName("System.Linq.IQueryable"),
                start.Compilation.GetTypeByMetadataName("System.Collections.Generic.IAsyncEnumerable`1")
            );
            start.RegisterOperationAction(operation => Inspect(operation, session, lazy), OperationKind.Invocation);
        });
    }

    private static void Inspect(
        OperationAnalysisContext context,
        INamedTypeSymbol session,
        ImmutableArray<INamedTypeSymbol?> lazy
    )
    {
        var call = (IInvocationOperation)context.Operation;
        if (
            call.TargetMethod.Name != "OpenSession"
            || !SymbolEqualityComparer.Default.Equals(call.TargetMethod.ReturnType, session)
        )
        {
            return;
        }

        var value = SessionUse.Converted(call);
        switch (value.Parent)
        {
            case IVariableInitializerOperation { Parent: IVariableDeclaratorOperation declarator }:
                InspectLocal(context, call, declarator.Symbol, isUsing: IsUsing(declarator), lazy);
                break;
            case ISimpleAssignmentOperation { Target: ILocalReferenceOperation target } assignment
                when assignment.Value == value:
                InspectLocal(context, call, target.Local, isUsing: false, lazy);
                break;
            case IExpressionStatementOperation or ISimpleAssignmentOperation { Target: IDiscardOperation }:
            case IInvocationOperation receiver when receiver.Instance == value && !SessionUse.IsDisposal(receiver):
            case IPropertyReferenceOperation:
                context.ReportDiagnostic(
                    Diagnostic.Create(Rules.OpenSession, call.Syntax.GetLocation(), "The session that this call opens")
                );
                break;
        }
    }

    private static void InspectLocal(
        OperationAnalysisContext context,
        IInvocationOperation call,
        ILocalSymbol local,
        bool isUsing,
        ImmutableArray<INamedTypeSymbol?> lazy
    )
    {
        var uses = SessionUse.Of(local, call);
        if (isUsing)
        {
            foreach (var use in uses)
            {
                if (Returned(use, lazy) is { } returned && SessionUse.Function(returned) == SessionUse.Function(call))
                {
                    context.ReportDiagnostic(
                        Diagnostic.Create(
                            Rules.DisposedSession,
                            returned.Syntax.GetLocation(),
                            "The returned query runs",
                            local.Name,
                            "return its results, for example those of ToListAsync"
                        )
                    );
                }
            }

            return;
        }

        if (!uses.Any(SessionUse.IsHandedOn))
        {
            context.ReportDiagnostic(
                Diagnostic.Create(Rules.OpenSession, call.Syntax.GetLocation(), $"The session '{local.Name}'")
            );
        }

        if (
            uses.Select(SessionUse.EndOf).FirstOrDefault(e => e is not null) is { } end
            && UseAfter(end, local) is { } late
        )
        {
            context.ReportDiagnostic(
                Diagnostic.Create(
                    Rules.DisposedSession,
                    late.Syntax.GetLocation(),
                    "This runs",
                    local.Name,
                    "move it before the session's end, or open another session"
                )
            );
        }
    }

    /// <summary>
    /// The first use in the statements behind the one that disposes the session. A new value ends the search.
    /// </summary>
    private static IOperation? UseAfter(IOperation end, ILocalSymbol local)
    {
        if (end.Parent is not IBlockOperation block)
            return null;
        foreach (var statement in block.Operations.SkipWhile(s => s != end).Skip(1))
        {
            var uses = SessionUse.In(statement, local);
            if (uses.Any(SessionUse.IsTarget))
                return null;
            if (uses.FirstOrDefault(u => !SessionUse.IsDisposed(u)) is { } use)
                return use;
        }

        return null;
    }

    /// <summary>The returned expression that begins with the session and runs only when it is enumerated.</summary>
    private static IOperation? Returned(IOperation use, ImmutableArray<INamedTypeSymbol?> lazy)
    {
        var at = use;
        while (
            at.Parent is IArgumentOperation or IConversionOperation or IParenthesizedOperation
            || (at.Parent is IInvocationOperation call && (call.Instance == at || call.Arguments[0] == at))
        )
        {
            at = at.Parent;
        }

        while (at is IConversionOperation { IsImplicit: true } converted)
            at = converted.Operand;
        return
            SessionUse.Converted(at).Parent is IReturnOperation { Kind: OperationKind.Return }
            && at.Type is { } type
            && lazy.Any(l => l is not null && Is(type, l))
            ? at
            : null;
    }

    private static bool Is(ITypeSymbol type, INamedTypeSymbol wanted) =>
        SymbolEqualityComparer.Default.Equals(type.OriginalDefinition, wanted)
        || type.AllInterfaces.Any(i => SymbolEqualityComparer.Default.Equals(i.OriginalDefinition, wanted));

    private static bool IsUsing(IVariableDeclaratorOperation declarator) =>
        declarator.Parent?.Parent?.Parent is IUsingDeclarationOperation or IUsingOperation;
}
