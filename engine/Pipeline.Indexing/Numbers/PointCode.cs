namespace Pipeline.Indexing;

/// <summary>
/// A point on the earth as 64 bits, latitude and longitude taking turns (G. M. Morton's order, 1966): neighbours in
/// space are mostly near in it, and the points of a rectangle are few ranges. Each is kept to 32 bits: latitude to 4.7
/// mm, longitude to at most 9.4 mm.
/// </summary>
public static class PointCode
{
    private const double Steps = 4294967296.0;

    /// <summary>The code of a point.</summary>
    /// <param name="latitude">Degrees, −90 to 90.</param>
    /// <param name="longitude">Degrees, −180 to 180.</param>
    /// <exception cref="ArgumentOutOfRangeException">One is outside its range, or not a number.</exception>
    public static ulong From(double latitude, double longitude)
    {
        if (!(latitude is >= -90 and <= 90))
            throw new ArgumentOutOfRangeException(nameof(latitude), latitude, "A latitude is from -90 to 90 degrees.");
        if (!(longitude is >= -180 and <= 180))
        {
            throw new ArgumentOutOfRangeException(
                nameof(longitude),
                longitude,
                "A longitude is from -180 to 180 degrees."
            );
        }

        return (Spread(Step(latitude, 90)) << 1) | Spread(Step(longitude, 180));
    }

    /// <summary>The middle of the code's cell.</summary>
    public static (double Latitude, double Longitude) ToPoint(ulong code) =>
        (Degrees(Gather(code >> 1), 90), Degrees(Gather(code), 180));

    private static uint Step(double degrees, double half) =>
        (uint)Math.Min((degrees + half) / (2 * half) * Steps, uint.MaxValue);

    private static double Degrees(uint step, double half) => ((step + 0.5) / Steps * 2 * half) - half;

    private static ulong Spread(uint value)
    {
        ulong v = value;
        v = (v | (v << 16)) & 0x0000FFFF0000FFFF;
        v = (v | (v << 8)) & 0x00FF00FF00FF00FF;
        v = (v | (v << 4)) & 0x0F0F0F0F0F0F0F0F;
        v = (v | (v << 2)) & 0x3333333333333333;
        return (v | (v << 1)) & 0x5555555555555555;
    }

    private static uint Gather(ulong code)
    {
        var v = code & 0x5555555555555555;
        v = (v | (v >> 1)) & 0x3333333333333333;
        v = (v | (v >> 2)) & 0x0F0F0F0F0F0F0F0F;
        v = (v | (v >> 4)) & 0x00FF00FF00FF00FF;
        v = (v | (v >> 8)) & 0x0000FFFF0000FFFF;
        return (uint)(v | (v >> 16));
    }
}
