using System.Globalization;

namespace Pipeline.Scripting.Runtime;

/// <summary>
/// A number of a script: integer, decimal or double. An operation returns the narrowest of these that is exact.
/// </summary>
internal readonly struct ScriptNumber
{
    private readonly long _integer;
    private readonly decimal _decimal;
    private readonly double _double;

    public ScriptNumber(long value)
    {
        Kind = ScriptValueKind.Integer;
        _integer = value;
    }

    public ScriptNumber(decimal value)
    {
        Kind = ScriptValueKind.Decimal;
        _decimal = value;
    }

    public ScriptNumber(double value)
    {
        Kind = ScriptValueKind.Double;
        _double = value;
    }

    public ScriptValueKind Kind { get; }

    public double AsDouble() =>
        Kind switch
        {
            ScriptValueKind.Integer => _integer,
            ScriptValueKind.Decimal => (double)_decimal,
            _ => _double,
        };

    /// <exception cref="OverflowException">It is out of decimal's range.</exception>
    public decimal AsDecimal() =>
        Kind switch
        {
            ScriptValueKind.Integer => _integer,
            ScriptValueKind.Decimal => _decimal,
            _ => (decimal)_double,
        };

    /// <summary>The integer that this is.</summary>
    /// <exception cref="OverflowException">It is out of range.</exception>
    /// <exception cref="InvalidCastException">It has a fraction.</exception>
    public long AsInteger()
    {
        if (Kind == ScriptValueKind.Integer)
            return _integer;
        if (
            Kind == ScriptValueKind.Decimal
                ? decimal.Truncate(_decimal) != _decimal
                : double.Truncate(_double) != _double
        )
        {
            throw new InvalidCastException(
                $"{ToString()} has a fraction: cast it, as in (int)x, or round it with Math.Round."
            );
        }

        return Kind == ScriptValueKind.Decimal ? decimal.ToInt64(_decimal) : checked((long)_double);
    }

    /// <summary>The number as decimal if that is lossless.</summary>
    public bool TryGetDecimal(out decimal value)
    {
        switch (Kind)
        {
            case ScriptValueKind.Integer:
                value = _integer;
                return true;
            case ScriptValueKind.Decimal:
                value = _decimal;
                return true;
            default:
                if (double.Abs(_double) < 1e28)
                {
                    value = (decimal)_double;
                    return (double)value == _double;
                }

                value = 0;
                return false;
        }
    }

    public ScriptValue ToValue() =>
        Kind switch
        {
            ScriptValueKind.Integer => IntegerValue.Create(_integer),
            ScriptValueKind.Decimal => new DecimalValue(_decimal),
            _ => new DoubleValue(_double),
        };

    public static ScriptValue Apply(char operation, ScriptNumber a, ScriptNumber b)
    {
        if (
            a.Kind == ScriptValueKind.Integer
            && b.Kind == ScriptValueKind.Integer
            && TryIntegers(operation, a._integer, b._integer, out var integer)
        )
        {
            return IntegerValue.Create(integer);
        }

        if (a.TryGetDecimal(out var x) && b.TryGetDecimal(out var y))
        {
            try
            {
                return new DecimalValue(
                    operation switch
                    {
                        '+' => x + y,
                        '-' => x - y,
                        '*' => x * y,
                        '/' => x / y,
                        _ => x % y,
                    }
                );
            }
            catch (OverflowException)
            {
                // Out of decimal's range: doubles hold it, rounded.
            }
        }

        var p = a.AsDouble();
        var q = b.AsDouble();
        return new DoubleValue(
            operation switch
            {
                '+' => p + q,
                '-' => p - q,
                '*' => p * q,
                '/' => p / q,
                _ => p % q,
            }
        );
    }

    private static bool TryIntegers(char operation, long a, long b, out long result)
    {
        switch (operation)
        {
            case '+':
                result = unchecked(a + b);
                return ((a ^ result) & (b ^ result)) >= 0;
            case '-':
                result = unchecked(a - b);
                return ((a ^ b) & (a ^ result)) >= 0;
            case '*':
                var high = System.Math.BigMul(a, b, out result);
                return high == (result >> 63);
            case '/':
                result = b == -1 ? unchecked(-a) : a / b;
                return b != -1 || a != long.MinValue;
            default:
                result = b == -1 ? 0 : a % b;
                return true;
        }
    }

    public static int Compare(ScriptNumber a, ScriptNumber b)
    {
        if (a.Kind == ScriptValueKind.Integer && b.Kind == ScriptValueKind.Integer)
            return a._integer.CompareTo(b._integer);
        return a.TryGetDecimal(out var x) && b.TryGetDecimal(out var y)
            ? x.CompareTo(y)
            : a.AsDouble().CompareTo(b.AsDouble());
    }

    /// <summary>Reads a JSON or invariant number.</summary>
    public static bool TryParse(ReadOnlySpan<byte> text, out ScriptNumber number)
    {
        if (long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var integer))
        {
            number = new ScriptNumber(integer);
            return true;
        }

        // Decimal rounds digits that it cannot hold; up to 28 characters, with sign and point but no exponent, are
        // always exact.
        if (
            text.Length <= 28
            && !text.ContainsAny((byte)'e', (byte)'E')
            && decimal.TryParse(
                text,
                NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint,
                CultureInfo.InvariantCulture,
                out var exact
            )
        )
        {
            number = new ScriptNumber(exact);
            return true;
        }

        if (double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var real))
        {
            var small = new ScriptNumber(real);
            number =
                text.ContainsAny((byte)'e', (byte)'E') && small.TryGetDecimal(out var d) && d != 0
                    ? new ScriptNumber(d)
                    : small;
            return true;
        }

        number = default;
        return false;
    }

    public override string ToString() =>
        Kind switch
        {
            ScriptValueKind.Integer => _integer.ToString(CultureInfo.InvariantCulture),
            ScriptValueKind.Decimal => TrimZeros(_decimal.ToString(CultureInfo.InvariantCulture)),
            _ => _double.ToString("R", CultureInfo.InvariantCulture),
        };

    private static string TrimZeros(string text) =>
        text.Contains('.', StringComparison.Ordinal) ? text.TrimEnd('0').TrimEnd('.') : text;

    public string ToString(string? format, IFormatProvider provider) =>
        format is null or ""
            ? ToString()
            : Kind switch
            {
                ScriptValueKind.Integer => _integer.ToString(format, provider),
                ScriptValueKind.Decimal => _decimal.ToString(format, provider),
                _ => _double.ToString(format, provider),
            };
}
