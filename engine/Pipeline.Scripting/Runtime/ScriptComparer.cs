namespace Pipeline.Scripting.Runtime;

/// <summary>
/// Equality and order of values: numbers by value, texts by ordinal, dates as points in time, arrays and objects by
/// content.
/// </summary>
internal static class ScriptComparer
{
    public static bool AreEqual(ScriptValue? a, ScriptValue? b)
    {
        if (ReferenceEquals(a, b))
            return true;
        if (a is null || b is null)
            return false;
        if (a.IsNumber)
            return b.IsNumber && ScriptNumber.Compare(a.Number, b.Number) == 0;
        var kind = a.Kind;
        var other = b.Kind;
        if (kind == ScriptValueKind.Time || other == ScriptValueKind.Time)
            return ScriptDates.TryRead(a, out var x) && ScriptDates.TryRead(b, out var y) && x.Ticks == y.Ticks;
        switch (kind)
        {
            case ScriptValueKind.Text or ScriptValueKind.Other or ScriptValueKind.Span:
                return other is ScriptValueKind.Text or ScriptValueKind.Other or ScriptValueKind.Span
                    && string.Equals(a.Text, b.Text, StringComparison.Ordinal);
            case ScriptValueKind.Boolean:
                return other == ScriptValueKind.Boolean && a.Boolean == b.Boolean;
            case ScriptValueKind.Array:
                return other == ScriptValueKind.Array && a.Elements().SequenceEqual(b.Elements());
            default:
                if (other != ScriptValueKind.Object)
                    return false;
                var theirs = b.Properties().ToDictionary(p => p.Key, p => p.Value);
                var count = 0;
                foreach (var (name, value) in a.Properties())
                {
                    count++;
                    if (!theirs.TryGetValue(name, out var their) || !AreEqual(value, their))
                        return false;
                }

                return count == theirs.Count;
        }
    }

    public static int Hash(ScriptValue value)
    {
        switch (value.Kind)
        {
            case ScriptValueKind.Integer or ScriptValueKind.Decimal or ScriptValueKind.Double:
                return value.Number.AsDouble().GetHashCode();
            case ScriptValueKind.Boolean:
                return value.Boolean.GetHashCode();
            case ScriptValueKind.Array:
                return value.ElementCount;
            case ScriptValueKind.Object:
                return 7;
            default:
                // A date may be a text or not; both must fall together.
                return ScriptDates.TryRead(value, out var date)
                    ? date.Ticks.GetHashCode()
                    : string.GetHashCode(value.Text, StringComparison.Ordinal);
        }
    }

    /// <summary>A total order, as sorting needs it: null, then booleans, numbers, dates and texts, the rest.</summary>
    public static int Order(ScriptValue? a, ScriptValue? b)
    {
        if (ReferenceEquals(a, b))
            return 0;
        if (a is null)
            return -1;
        if (b is null)
            return 1;
        if (TryCompare(a, b, out var order))
            return order;
        order = Rank(a).CompareTo(Rank(b));
        return order != 0 ? order : string.CompareOrdinal(a.Text, b.Text);
    }

    /// <summary>Compares comparable values: two numbers, two texts, two dates, two spans, two booleans.</summary>
    public static bool TryCompare(ScriptValue a, ScriptValue b, out int order)
    {
        order = 0;
        if (a.IsNumber && b.IsNumber)
        {
            order = ScriptNumber.Compare(a.Number, b.Number);
            return true;
        }

        if (a.Kind == ScriptValueKind.Boolean && b.Kind == ScriptValueKind.Boolean)
        {
            order = a.Boolean.CompareTo(b.Boolean);
            return true;
        }

        if (a.Kind == ScriptValueKind.Span || b.Kind == ScriptValueKind.Span)
        {
            if (!ScriptDates.TryReadSpan(a, out var p) || !ScriptDates.TryReadSpan(b, out var q))
                return false;
            order = p.CompareTo(q);
            return true;
        }

        if (ScriptDates.TryRead(a, out var x) && ScriptDates.TryRead(b, out var y))
        {
            order = x.Ticks.CompareTo(y.Ticks);
            return true;
        }

        if (a.Kind != ScriptValueKind.Text || b.Kind != ScriptValueKind.Text)
            return false;
        order = string.CompareOrdinal(a.Text, b.Text);
        return true;
    }

    private static int Rank(ScriptValue value) =>
        value.Kind switch
        {
            ScriptValueKind.Boolean => 0,
            ScriptValueKind.Integer or ScriptValueKind.Decimal or ScriptValueKind.Double => 1,
            ScriptValueKind.Time or ScriptValueKind.Text => 2,
            _ => 3,
        };
}
