using Jint;
using Jint.Native;
using Pipeline.Json;
using Pipeline.Scripting.Runtime;

namespace Pipeline.JavaScript;

/// <summary>
/// Fields that a map names while it runs, and places. Until they are indexed they are objects with <c>$name</c>,
/// <c>$value</c> and <c>$options</c>, or with <c>$spatial</c>, which clients write themselves, too.
/// </summary>
internal static class CreatedFields
{
    /// <summary><c>createField(name, value, { storage, indexing, termVector })</c>.</summary>
    public static JsObject Make(Engine engine, JsValue[] arguments)
    {
        if (arguments.Length < 2)
            throw new InvalidOperationException("createField takes a name, a value, and options");
        var made = new JsObject(engine);
        made.Set("$name", arguments[0]);
        made.Set("$value", arguments[1]);
        made.Set("$options", arguments.Length > 2 ? arguments[2] : JsValue.Null);
        return made;
    }

    /// <summary><c>createSpatialField(latitude, longitude)</c> or <c>createSpatialField(wkt)</c>.</summary>
    public static JsObject MakeSpatial(Engine engine, JsValue[] arguments)
    {
        if (arguments.Length is not (1 or 2))
        {
            throw new InvalidOperationException(
                "createSpatialField takes a latitude and a longitude, or a shape in WKT"
            );
        }

        var made = new JsObject(engine);
        made.Set("$spatial", arguments.Length == 1 ? arguments[0] : new JsArray(engine, [arguments[0], arguments[1]]));
        return made;
    }

    /// <summary>
    /// The fields that a property of a map's object stands for: itself, or those that it, or its elements, name.
    /// </summary>
    public static IEnumerable<CreatedField> Read(string name, BinaryValue value)
    {
        if (value.Kind == JsonKind.Array && value.Count > 0 && IsNamed(value[0]))
        {
            var fields = new List<CreatedField>(value.Count);
            foreach (var element in value.EnumerateArray())
                fields.AddRange(Read(name, element));
            return fields;
        }

        if (IsNamed(value))
            return [new CreatedField(value["$name"].GetString(), ValueOf(value["$value"]), Options(value["$options"]))];
        return
        [
            new CreatedField(
                name,
                value.Kind == JsonKind.Array && value.Count > 0 && IsPlace(value[0]) ? Places(value) : ValueOf(value),
                null
            ),
        ];
    }

    private static bool IsNamed(BinaryValue value) =>
        value.Kind == JsonKind.Object && value.TryGetProperty("$name", out var name) && name.Kind == JsonKind.String;

    private static bool IsPlace(BinaryValue value) =>
        value.Kind == JsonKind.Object && value.TryGetProperty("$spatial", out _);

    private static SpatialField[] Places(BinaryValue values)
    {
        var places = new List<SpatialField>(values.Count);
        foreach (var value in values.EnumerateArray())
            places.Add(Place(value["$spatial"]));
        return [.. places];
    }

    private static object? ValueOf(BinaryValue value) =>
        IsPlace(value) ? Place(value["$spatial"]) : DocumentValue.Create(value);

    private static SpatialField Place(BinaryValue place)
    {
        if (place.Kind == JsonKind.String)
            return new SpatialField(null, null, place.GetString());
        return
            place.Kind == JsonKind.Array
            && place.Count == 2
            && place[0].TryGetDouble(out var latitude)
            && place[1].TryGetDouble(out var longitude)
            ? new SpatialField(latitude, longitude, null)
            : default;
    }

    private static CreateFieldOptions? Options(BinaryValue options)
    {
        if (options.Kind != JsonKind.Object)
            return null;
        return new CreateFieldOptions
        {
            Storage =
                options["storage"].Kind == JsonKind.Boolean
                    ? options["storage"].GetBoolean()
                        ? FieldStorage.Yes
                        : FieldStorage.No
                    : Choice<FieldStorage>(options["storage"]),
            Indexing = Choice<FieldIndexing>(options["indexing"]),
            TermVector = Choice<FieldTermVector>(options["termVector"]),
        };
    }

    private static T? Choice<T>(BinaryValue value)
        where T : struct, Enum =>
        value.Kind != JsonKind.String ? null
        : Enum.TryParse(value.GetString(), ignoreCase: true, out T choice) ? choice
        : throw new InvalidOperationException(
            $"'{value.GetString()}' is not an option of a field; options are {string.Join(", ", Enum.GetNames<T>())}"
        );
}
