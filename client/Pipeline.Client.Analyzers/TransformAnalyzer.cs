using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Pipeline.Client.Analyzers;

/// <summary>
/// Finds transforms that keep state: in fields and properties that can be written, and in collections that their
/// methods change.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class TransformAnalyzer : DiagnosticAnalyzer
{
    private const string UseLocal = "use a local variable in Transform, or a collection that nothing changes";

    private static readonly HashSet<string> Changing =
    [
        "Add",
        "AddAfter",
        "AddBefore",
        "AddFirst",
        "AddLast",
        "AddOrUpdate",
        "AddRange",
        "Append",
        "Clear",
        "Dequeue",
        "Enqueue",
        "ExceptWith",
        "GetOrAdd",
        "Insert",
        "InsertRange",
        "IntersectWith",
        "Pop",
        "Push",
        "PushRange",
        "Remove",
        "RemoveAll",
        "RemoveAt",
        "RemoveFirst",
        "RemoveLast",
        "RemoveRange",
        "RemoveWhere",
        "Reverse",
        "Sort",
        "SymmetricExceptWith",
        "TryAdd",
        "TryDequeue",
        "TryPop",
        "TryRemove",
        "TryTake",
        "TryUpdate",
        "UnionWith",
    ];

    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [Rules.StatefulTransform];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterCompilationStartAction(start =>
        {
            if (start.Compilation.GetTypeByMetadataName("Pipeline.Etl.Transforms.IEtlTransform`1") is not { } transform)
                return;
            start.RegisterSymbolStartAction(
                type =>
                {
                    var symbol = (INamedTypeSymbol)type.Symbol;
                    if (
                        symbol.TypeKind != TypeKind.Class
                        || !symbol.AllInterfaces.Any(i =>
                            SymbolEqualityComparer.Default.Equals(i.OriginalDefinition, transform)
                        )
                    )
                    {
                        return;
                    }

                    type.RegisterOperationAction(
                        operation => ReportChange(operation, symbol),
                        OperationKind.Invocation,
                        OperationKind.SimpleAssignment,
                        OperationKind.CompoundAssignment,
                        OperationKind.Increment,
                        OperationKind.Decrement
                    );
                    type.RegisterSymbolEndAction(end => ReportMembers(end, symbol));
                },
                SymbolKind.NamedType
            );
        });
    }

    private static void ReportMembers(SymbolAnalysisContext context, INamedTypeSymbol transform)
    {
        for (
            var type = transform;
            type is not null && type.SpecialType != SpecialType.System_Object;
            type = type.BaseType
        )
        {
            foreach (var field in type.GetMembers().OfType<IFieldSymbol>())
            {
                if (field.IsConst || field.IsReadOnly || field.AssociatedSymbol is IEventSymbol || IsOfThread(field))
                    continue;
                var property = field.AssociatedSymbol as IPropertySymbol;
                if (field.IsImplicitlyDeclared && property is null)
                    continue;
                var member = (ISymbol?)property ?? field;
                var isOwn = ReferenceEquals(type, transform);
                var location = isOwn ? member.Locations[0] : transform.Locations[0];
                var suggestion = property is null
                    ? "make it readonly, or use a local variable in Transform"
                    : "remove its setter or replace it with init, or use a local variable in Transform";
                context.ReportDiagnostic(
                    Diagnostic.Create(
                        Rules.StatefulTransform,
                        location,
                        transform.Name,
                        isOwn ? member.Name : $"{type.Name}.{member.Name}",
                        suggestion
                    )
                );
            }
        }
    }

    /// <summary>
    /// Reports a change of what a readonly field holds, outside of constructors, and of a primary constructor's
    /// parameter.
    /// </summary>
    private static void ReportChange(OperationAnalysisContext context, INamedTypeSymbol transform)
    {
        if (
            context.ContainingSymbol
            is not IMethodSymbol { MethodKind: not (MethodKind.Constructor or MethodKind.StaticConstructor) }
        )
        {
            return;
        }

        var changed = context.Operation switch
        {
            IInvocationOperation { Instance: { } instance } call
                when Changing.Contains(call.TargetMethod.Name) && IsCollection(instance.Type) => instance,
            IAssignmentOperation assignment => Owner(assignment.Target),
            IIncrementOrDecrementOperation step => Owner(step.Target),
            _ => null,
        };
        var name = changed switch
        {
            IFieldReferenceOperation { Field: { IsReadOnly: true } field }
                when SymbolEqualityComparer.Default.Equals(field.ContainingType, transform) && !IsOfThread(field) =>
                field.Name,
            IPropertyReferenceOperation { Property: { SetMethod: null or { IsInitOnly: true } } property }
                when SymbolEqualityComparer.Default.Equals(property.ContainingType, transform) && IsStored(property) =>
                property.Name,
            IParameterReferenceOperation
            {
                Parameter: { ContainingSymbol: IMethodSymbol { MethodKind: MethodKind.Constructor } } parameter
            } => parameter.Name,
            _ => null,
        };
        if (name is not null)
        {
            context.ReportDiagnostic(
                Diagnostic.Create(
                    Rules.StatefulTransform,
                    context.Operation.Syntax.GetLocation(),
                    transform.Name,
                    name,
                    UseLocal
                )
            );
        }
    }

    /// <summary>
    /// What a target of an assignment changes: the list or array of an element, or a primary constructor's parameter.
    /// </summary>
    private static IOperation? Owner(IOperation target) =>
        target switch
        {
            IArrayElementReferenceOperation element => element.ArrayReference,
            IPropertyReferenceOperation { Property.IsIndexer: true, Instance: { } list } when IsCollection(list.Type) =>
                list,
            IParameterReferenceOperation parameter => parameter,
            _ => null,
        };

    private static bool IsStored(IPropertySymbol property) =>
        property
            .ContainingType.GetMembers()
            .OfType<IFieldSymbol>()
            .Any(f => SymbolEqualityComparer.Default.Equals(f.AssociatedSymbol, property));

    private static bool IsCollection(ITypeSymbol? type) =>
        type?.ContainingNamespace?.ToDisplayString()
            is "System.Collections"
                or "System.Collections.Generic"
                or "System.Collections.Concurrent"
                or "System.Collections.ObjectModel"
                or "System.Text";

    /// <summary>Whether each thread has its own, for example a buffer.</summary>
    private static bool IsOfThread(IFieldSymbol field) =>
        field.GetAttributes().Any(a => a.AttributeClass?.ToDisplayString() == "System.ThreadStaticAttribute");
}
