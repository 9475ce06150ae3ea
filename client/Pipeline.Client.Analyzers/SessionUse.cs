using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Pipeline.Client.Analyzers;

/// <summary>What a method does with a session in a local variable.</summary>
internal static class SessionUse
{
    /// <summary>All places of the method that name the variable.</summary>
    /// <param name="local">The variable.</param>
    /// <param name="inside">Any operation of the method.</param>
    public static List<IOperation> Of(ILocalSymbol local, IOperation inside)
    {
        var root = inside;
        while (root.Parent is { } parent)
            root = parent;
        return In(root, local);
    }

    /// <summary>The places of a part of a method that name the variable.</summary>
    public static List<IOperation> In(IOperation part, ILocalSymbol local) =>
        [
            .. part.DescendantsAndSelf()
                .OfType<ILocalReferenceOperation>()
                .Where(r => SymbolEqualityComparer.Default.Equals(r.Local, local)),
        ];

    /// <summary>The value after its conversions.</summary>
    public static IOperation Converted(IOperation value)
    {
        while (value.Parent is IConversionOperation or IParenthesizedOperation)
            value = value.Parent;
        return value;
    }

    /// <summary>Whether a call disposes its object.</summary>
    public static bool IsDisposal(IInvocationOperation call) =>
        call.TargetMethod.Name is "Dispose" or "DisposeAsync" && call.Arguments.Length == 0;

    /// <summary>Whether the variable gets another value.</summary>
    public static bool IsTarget(IOperation use) =>
        use.Parent is IAssignmentOperation assignment && assignment.Target == use;

    /// <summary>Whether the place disposes the session.</summary>
    public static bool IsDisposed(IOperation use) =>
        Converted(use) is var value
        && value.Parent switch
        {
            IInvocationOperation call => call.Instance == value && IsDisposal(call),
            IConditionalAccessOperation access => access.Operation == value
                && access.WhenNotNull is IInvocationOperation call
                && IsDisposal(call),
            IUsingOperation => true,
            _ => false,
        };

    /// <summary>Whether the place disposes the session or gives it to other code, which then has to.</summary>
    public static bool IsHandedOn(IOperation use) =>
        IsDisposed(use)
        || (
            Converted(use) is var value
            && value.Parent switch
            {
                IInvocationOperation
                or IPropertyReferenceOperation
                or IMethodReferenceOperation
                or IConditionalAccessOperation => false,
                IBinaryOperation or IIsPatternOperation or INameOfOperation or IExpressionStatementOperation => false,
                IAssignmentOperation assignment => assignment.Target != value,
                _ => true,
            }
        );

    /// <summary>
    /// The statement at whose end the session is disposed; <see langword="null"/> if the place does not dispose it for
    /// certain.
    /// </summary>
    public static IOperation? EndOf(IOperation use)
    {
        var value = Converted(use);
        if (value.Parent is IUsingOperation ended)
            return ended;
        if (!IsDisposed(use))
            return null;
        var at = value.Parent;
        while (at is not null and not IExpressionStatementOperation)
        {
            at = at is IInvocationOperation or IConditionalAccessOperation or IArgumentOperation or IAwaitOperation
                ? at.Parent
                : null;
        }

        return at is { Parent: IBlockOperation { Parent: ITryOperation guarded } block } && guarded.Finally == block
            ? guarded
            : at;
    }

    /// <summary>
    /// The lambda or local function around an operation; <see langword="null"/> for the method itself.
    /// </summary>
    public static IOperation? Function(IOperation operation)
    {
        var at = operation.Parent;
        while (at is not null and not (IAnonymousFunctionOperation or ILocalFunctionOperation))
            at = at.Parent;
        return at;
    }
}
