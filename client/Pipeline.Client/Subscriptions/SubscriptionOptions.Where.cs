using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;
using Pipeline.Client.Conventions;
using Pipeline.Client.Subscriptions;

namespace Pipeline.Client;

public sealed partial record SubscriptionOptions
{
    /// <summary>
    /// A lambda in place of <see cref="Filter"/> and <see cref="Query"/>: <c>(Order o) => o.Total > 1000 &amp;&amp;
    /// o.Lines.Any(l => l.Price > 9)</c>. It is translated to a
    /// <see cref="Query"/> and needs no right to send C#. Texts are compared with their case; numbers are computed
    /// exactly. With <see cref="Revisions"/> it is asked of the current version.
    /// </summary>
    /// <exception cref="UnsupportedExpressionException">
    /// Creating the subscription: a part has no counterpart in the query language. The message names it and a way
    /// round.
    /// </exception>
    public LambdaExpression? Where
    {
        get;
        [RequiresUnreferencedCode(
            "Reads the members that expressions name. A published program that is trimmed gives Query."
        )]
        [RequiresDynamicCode("Evaluates the values that expressions hold.")]
        init
        {
            field = value;
            Translate = value is null ? null : FilterQuery.Of;
        }
    }

    /// <summary>Translates <see cref="Where"/>. Only who sets it needs reflection.</summary>
    internal Func<LambdaExpression, DocumentModel, DocumentStoreOptions, bool, string>? Translate { get; private init; }
}
